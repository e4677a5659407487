// A Python that has the module cmc._cmc in it, made of the product's own static libraries: so tests of the package
// cost one more link, and not a second build of everything for a shared object.

#include <Python.h>

extern "C" PyObject* PyInit__cmc();

int main(int argc, char** argv) {
  PyImport_AppendInittab("_cmc", PyInit__cmc);
  PyConfig config;
  PyConfig_InitPythonConfig(&config);
  PyStatus status = PyConfig_SetBytesArgv(&config, argc, argv);
  if (PyStatus_Exception(status) == 0) status = Py_InitializeFromConfig(&config);
  PyConfig_Clear(&config);
  if (PyStatus_Exception(status) != 0) Py_ExitStatusException(status);
  PyRun_SimpleString("import sys, _cmc\nsys.modules['cmc._cmc'] = _cmc\n");
  return Py_RunMain();
}

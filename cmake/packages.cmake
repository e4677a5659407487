# cpack -G DEB, cpack -G TGZ: packages of what install.cmake installs.
set(CPACK_PACKAGE_NAME cmc)
set(CPACK_PACKAGE_VENDOR "The CMC developers")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "explicit-state model checker of Promela models")
set(CPACK_PACKAGE_DESCRIPTION "CMC explores every state that a Promela model can reach and decides whether an
assertion can fail, whether a process can get stuck, whether anything can go
wrong at run time, and what formulas of linear temporal logic say about its
runs. It reads unchanged models of SPIN 6.5 and counts the same states, uses
several threads, and continues on disk when memory is full, still exactly.")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGE_FILE_NAME cmc-${PROJECT_VERSION}-${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL program library)
set(CPACK_VERBATIM_VARIABLES ON)

# Debian: cmc, and cmc-dev with the library.
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME cmc)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
# libzmq is loaded when a solver is asked, so no tool sees that it is needed.
set(CPACK_DEBIAN_PROGRAM_PACKAGE_DEPENDS libzmq5)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "gnuplot-nox, spin")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME cmc-dev)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_DEPENDS
    "cmc (= ${PROJECT_VERSION}), libfmt-dev, libssl-dev, libxxhash-dev, zlib1g-dev, pkg-config")
if(TARGET cmc-mpi)
  list(APPEND CPACK_COMPONENTS_ALL mpi)
  set(CPACK_DEBIAN_MPI_PACKAGE_NAME cmc-mpi)
  set(CPACK_DEBIAN_MPI_PACKAGE_SECTION science)
  set(CPACK_DEBIAN_MPI_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_MPI_PACKAGE_DEPENDS "cmc (= ${PROJECT_VERSION}), openmpi-bin")
  set(CPACK_COMPONENT_MPI_DESCRIPTION "CMC as one search on many machines, by MPI.")
endif()
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION "${CPACK_PACKAGE_DESCRIPTION}")
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION "Library and header of CMC, for programs that load, check and run Promela models
themselves: find_package(cmc) in CMake.")
include(CPack)

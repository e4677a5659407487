"""cmc-mpi for tests: how it is started. The environment can name another MPI: CMC_MPIRUN (mpirun) and CMC_MPI (the program)."""
import os
import shutil


LAUNCHER = os.environ.get("CMC_MPIRUN", "mpirun")
IS_OPEN_MPI = "mpich" not in LAUNCHER


def program(cmc):
    return os.environ.get("CMC_MPI", os.path.join(os.path.dirname(os.path.abspath(cmc)), "cmc-mpi"))


def is_there(cmc):
    return shutil.which(LAUNCHER) is not None and os.path.exists(program(cmc))


def command(cmc, ranks):
    """The words before those of cmc."""
    options = []
    if IS_OPEN_MPI:
        options.append("--oversubscribe")
        if os.getuid() == 0:
            options.append("--allow-run-as-root")
    return [LAUNCHER, *options, "-n", str(ranks), program(cmc)]

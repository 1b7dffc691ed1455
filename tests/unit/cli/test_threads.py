"""The threads that numpy may use in a process of the command line."""

import os
import subprocess
import sys

import pytest

STATEMENT = """
import os, sys
from graph_memory.cli import main
early = "numpy" in sys.modules
main(["version"])
import numpy
from threadpoolctl import threadpool_info
threads = {each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"}
print(early, threads)
"""


@pytest.mark.parametrize(("given", "threads"), [(None, {1}), ("2", {2})])
def test_a_matrix_product_uses_one_thread_unless_more_are_given(
    given: str | None, threads: set[int]
) -> None:
    name = "OPENBLAS_NUM_THREADS"
    environment = {key: value for key, value in os.environ.items() if key != name}
    if given:
        environment[name] = given
    ran = subprocess.run(
        [sys.executable, "-c", STATEMENT], env=environment, capture_output=True, text=True
    )
    assert ran.stdout.splitlines()[-1] == f"False {threads}", ran.stderr

"""What must not be trained on is left out, and what is missing is told.

    python3 -m unittest discover training
"""

import contextlib
import io
import multiprocessing
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parent))

import fetch
import mine


def known_lines():
    return mine.FORBIDDEN


class Sources(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.work = Path(folder.name)
        for module in (fetch, mine):
            patch = mock.patch.object(module, "WORK", self.work)
            patch.start()
            self.addCleanup(patch.stop)

    def test_forks_are_excluded_by_name(self):
        for name in ("click", "python-click", "asyncclick", "python-asyncclick", "zod"):
            self.assertTrue(fetch.is_excluded(name), name)
        self.assertFalse(fetch.is_excluded("clickhouse"))

    def test_an_excluded_package_is_not_mined(self):
        with mock.patch.object(mine, "recorded", lambda: [{"name": "requests"}, {"name": "attrs"}]):
            self.assertEqual(mine.wanted_rows(), [{"name": "attrs"}])

    def test_a_missing_list_is_an_error(self):
        with self.assertRaises(SystemExit) as stopped:
            mine.forbidden_lines()
        self.assertIn("excluded.txt", stopped.exception.code)

    def test_a_listed_folder_that_is_not_there_is_an_error(self):
        (self.work / "excluded.txt").write_text(f"{self.work / 'nowhere'}\n")
        with self.assertRaises(SystemExit) as stopped:
            mine.forbidden_lines()
        self.assertIn("nowhere", stopped.exception.code)

    def test_the_lines_of_listed_folders_are_known(self):
        folder = self.work / "my corpus"
        folder.mkdir()
        (folder / "a.py").write_text("x = 'a line that is long enough to be told apart'\n")
        (self.work / "excluded.txt").write_text(f"{folder}\n\n")
        self.assertEqual(len(mine.forbidden_lines()), 1)

    def test_workers_that_are_not_forked_know_the_lines(self):
        lines = {b"12345678"}
        pool = multiprocessing.get_context("spawn").Pool(1, initializer=mine.forbid, initargs=(lines,))
        with pool:
            self.assertEqual(pool.apply(known_lines), lines)

    def test_missing_packages_are_a_failure(self):
        rows = [{"name": "a"}, {"name": "b"}]
        for here, fails in (([True, True], False), ([True, False], True)):
            with mock.patch.object(fetch, "recorded", lambda: rows), \
                    mock.patch.object(fetch, "download_one", mock.Mock(side_effect=here)), \
                    contextlib.redirect_stdout(io.StringIO()) as said:
                stopped = None
                try:
                    fetch.download()
                except SystemExit as error:
                    stopped = error.code
            self.assertEqual(bool(stopped), fails, said.getvalue())


if __name__ == "__main__":
    unittest.main()

"""A pair is a message that explains, and the definitions of the parent that it changed.

    python3 -m unittest discover training
"""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import histories
import outline

BEFORE = """import os


class Reader:
    def open(self, path):
        return os.open(path)

    def close(self):
        os.close(self.number)


def unused():
    return 1
"""


class Messages(unittest.TestCase):
    def test_messages_that_do_not_explain_are_left_out(self):
        for message in ("Merge branch 'main' into topic of ours", "Revert \"fix the reader of files\"", "Bump serde from 1.0 to 1.1 in the lock file",
                        "fix typo in the comment of the reader", "Fix it", "chore: update the dependencies of the build", "the reader of files and paths"):
            self.assertIsNone(histories.clean_message(message), message)

    def test_trailers_and_numbers_are_removed(self):
        title, body = histories.clean_message("fix(io): close the file if a read fails (#12)\n\nIt leaked before.\n\nSigned-off-by: A <a@b.c>\nChange-Id: I1")
        self.assertEqual((title, body), ("close the file if a read fails", "It leaked before."))


class Definitions(unittest.TestCase):
    def setUp(self):
        self.definitions = outline.outline(BEFORE.encode(), "python")

    def test_a_file_has_its_definitions_with_scopes(self):
        listed = [(d["scope"], d["name"], d["first"], d["last"]) for d in self.definitions]
        self.assertEqual(listed, [("", "Reader", 4, 9), ("Reader", "open", 5, 6), ("Reader", "close", 8, 9), ("", "unused", 12, 13)])

    def names(self, *places):
        return [self.definitions[n]["name"] for n in histories.changed_definitions(self.definitions, places)]

    def test_a_line_belongs_to_the_innermost_definition(self):
        self.assertEqual(self.names((9, 9)), ["close"])
        self.assertEqual(self.names((5, 9)), ["open", "close", "Reader"])

    def test_an_insertion_between_methods_belongs_to_the_type(self):
        self.assertEqual(self.names((6, 7)), ["Reader"])
        self.assertEqual(self.names((5, 6)), ["open"])

    def test_what_is_outside_of_definitions_is_not_changed(self):
        self.assertEqual(self.names((1, 1)), [])


class Repository(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.clone = Path(folder.name)
        self.git("init", "-q")
        self.commit("Add a reader that opens files", BEFORE)

    def git(self, *arguments):
        identity = ["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", "-C", str(self.clone), *identity, *arguments], check=True, stdout=subprocess.DEVNULL)

    def commit(self, message, content):
        (self.clone / "reader.py").write_text(content)
        self.git("add", ".")
        self.git("commit", "-q", "-m", message)

    def test_a_commit_gives_the_lines_of_its_parent(self):
        self.commit("Close the number of the reader only once", BEFORE.replace("        os.close(self.number)", "        if self.number:\n            os.close(self.number)"))
        found = list(histories.commits(self.clone, "HEAD"))
        self.assertEqual([(title, list(code)) for _, _, title, _, code in found], [("Close the number of the reader only once", ["reader.py"])])
        self.assertEqual(histories.hunks(self.clone, [found[0][0]]), {found[0][0]: {"reader.py": [(9, 9)]}})

    def test_a_change_of_comments_changes_nothing(self):
        self.commit("Make the reader say what it does now", BEFORE.replace("    def close", "    # Closes the file.\n    def close"))
        found = list(histories.commits(self.clone, "HEAD"))
        self.assertEqual(histories.hunks(self.clone, [found[0][0]]), {found[0][0]: {}})


if __name__ == "__main__":
    unittest.main()

"""`floor.compare`: a fall is found, and only like is compared with like."""

import unittest

from floor import compare


def row(ndcg, questions=10, digest="same"):
    return {"ndcg": ndcg, "questions": questions, "digest": digest}


class Floor(unittest.TestCase):
    def check(self, recorded, measured, code, *words):
        lines, actual = compare(recorded, measured)
        text = "\n".join(lines)
        self.assertEqual(actual, code, text)
        for word in words:
            self.assertIn(word, text)

    def test_the_same_figures_hold(self):
        self.check({"a": row(0.9)}, {"a": row(0.9)}, 0, "0.9000 over 10 questions", "floor 0.8900")

    def test_a_small_fall_holds_and_is_listed(self):
        self.check({"a": row(0.9)}, {"a": row(0.895)}, 0, "a: 0.9000, now 0.8950")

    def test_a_larger_fall_does_not_hold(self):
        self.check({"a": row(0.9)}, {"a": row(0.885)}, 1, "below the floor")

    def test_the_mean_is_over_questions(self):
        recorded = {"a": row(0.9, 90), "b": row(0.9, 10)}
        self.check(recorded, {"a": row(0.9, 90), "b": row(0.84, 10)}, 0, "0.8940 over 100 questions")
        self.check(recorded, {"a": row(0.84, 90), "b": row(0.9, 10)}, 1, "0.8460 over 100 questions")

    def test_another_corpus_is_not_compared(self):
        recorded = {"a": row(0.9), "b": row(0.5)}
        self.check(recorded, {"a": row(0.9), "b": row(0.1, digest="other")}, 0, "b: not compared", "over 10 questions")
        self.check(recorded, {"a": row(0.9)}, 0, "b: not compared, it is not there")

    def test_nothing_in_common_is_no_success(self):
        self.check({"a": row(0.9)}, {"a": row(0.9, digest="other")}, 2, "nothing was compared")
        self.check({"a": row(0.9)}, {"b": row(0.9)}, 2)


if __name__ == "__main__":
    unittest.main()

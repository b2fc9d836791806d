from dragoman.models.synthesis.closest import closest


def test_the_choice_that_is_most_like_the_reference() -> None:
    choices = ["A dog is asleep.", "The dog is sleeping.", "Dogs!"]
    assert closest("The dog sleeps.", choices) == "The dog is sleeping."
    assert closest("Dogs.", choices) == "Dogs!"
    assert closest("Ω", choices) == "A dog is asleep."

"""Questions and answers: evidence first, then the streaming answer, each claim with the page it rests on."""

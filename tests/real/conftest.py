"""The mark of the slow suite."""


def pytest_configure(config):
    config.addinivalue_line(
        "markers", "real: real programs, judged call by call; -m 'not real' leaves them out"
    )

def test_run(rung):
    assert rung.bundle("/bin/echo", "ok").output() == "ok"
def test_state(rung):
    b = rung.bundle("/bin/sleep", "100")
    b.create().ok()
    assert b.status() == "created"
    b.start().ok()
    assert b.status() == "running"
    assert b.exec("/bin/probe", "fds").ok().out == ""
def test_rootless(rootless):
    assert rootless.bundle("/bin/id").output() == "ok"

import questionary as q

name = q.text("What is your name?").ask()
kind = q.select("Which kind?", choices=["library", "program"]).ask()
ok = q.confirm("Are you sure?").ask()
secret = q.password("Your password:").ask()
parts = q.checkbox("Which parts?", choices=["door", "roof"]).ask()
print("result", name, kind, ok, len(secret), parts)

from InquirerPy import inquirer as i

name = i.text(message="Project name:").execute()
kind = i.select(message="Pick a kind:", choices=["library", "program"]).execute()
ok = i.confirm(message="Continue?").execute()
secret = i.secret(message="Token:").execute()
print("result", name, kind, ok, len(secret))

"""claude-code-tools' tmux-cli through its documented Python API.

`delay_enter=False`: its documentation keeps the delay of 1.5 s for programs that detect pastes; a
shell needs none, and without it Enter is pressed once.
"""

from claude_code_tools.tmux_cli_controller import TmuxCLIController
from worker import Adapter, serve


class TmuxCli(Adapter):
    package = "claude-code-tools"

    def open(self, place: dict) -> None:
        super().open(place)
        self.controller = TmuxCLIController()
        self.idle = 4.0 if "4 s" in self.mode else 2.0

    def do(self, text: str, timeout: float) -> str:
        if self.mode == "execute":
            result = self.controller.execute(text, pane_id=self.pane, timeout=timeout)
            return "timeout" if result["exit_code"] == -1 else "ready"
        self.controller.send_keys(text, pane_id=self.pane, delay_enter=False)
        done = self.controller.wait_for_idle(self.pane, idle_time=self.idle, timeout=timeout)
        return "ready" if done else "timeout"


if __name__ == "__main__":
    serve(TmuxCli)

// The page of `tmux-tool view`: the terminal and nothing else.
import "./terminal.js";

const terminal = document.createElement("tmux-terminal");
terminal.ask = async (event, data) => {
  const headers = { "Content-Type": "application/json" };
  const reply = await fetch(event, { method: "POST", headers, body: JSON.stringify(data) });
  if (!reply.ok) throw new Error(reply.statusText);
  return reply.json();
};
document.body.append(terminal);

// The page of `tmux-tool view`: the terminal and nothing else.
import { define } from "./terminal.js";

define(async (event, data) => {
  const headers = { "Content-Type": "application/json" };
  const reply = await fetch(event, { method: "POST", headers, body: JSON.stringify(data) });
  if (!reply.ok) throw new Error(reply.statusText);
  return reply.json();
});
document.documentElement.style.background = "#16181a";
document.body.style.cssText = "margin: 0; height: 100vh";
document.body.append(document.createElement("tmux-terminal"));

// The page of `tmux-tool view`: the terminal and nothing else.
import { define } from "./terminal.js";

define(async (event, data) => {
  const reply = await fetch(event, { method: "POST", body: JSON.stringify(data) });
  return reply.json(); // rejected if the server answers with an error
});

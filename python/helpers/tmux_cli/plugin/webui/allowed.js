// Whether the plugin's settings let the page show the terminal at all.
import { callJsonApi } from "/js/api.js";

export async function allowed() {
  const asked = { action: "get_config", plugin_name: "tmux_tool" };
  const reply = await callJsonApi("/plugins", asked).catch(() => null);
  return !["off", "false"].includes(String(reply?.data?.view)); // YAML reads `off` as false
}

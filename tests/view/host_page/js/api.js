export async function callJsonApi(endpoint, data) {
  if (globalThis.view === undefined) throw new Error("the host does not answer");
  const known = endpoint === "/plugins" && data.action === "get_config" && data.plugin_name === "tmux_tool";
  return known ? { ok: true, data: { view: globalThis.view } } : { ok: false };
}

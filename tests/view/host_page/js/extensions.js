const kept = new Map();
export async function loadJsExtensions(point) {
  if (kept.has(point)) return kept.get(point);
  const paths = await (await fetch(`/extensions?${point}`)).json();
  const modules = await Promise.all(paths.map((path) => import(path)));
  kept.set(point, modules);
  return modules;
}
export async function callJsExtensions(point, data) {
  for (const module of kept.get(point) ?? (await loadJsExtensions(point))) await module.default(data);
}

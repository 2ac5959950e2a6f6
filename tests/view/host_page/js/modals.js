export const openModal = (path) => { globalThis.opened = path; };

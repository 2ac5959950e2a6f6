// The host would load what draws a step when the first one comes, and draw the answer before it.
import { loadJsExtensions } from "/js/extensions.js";

// Awaited before the page shows any message.
export default () => loadJsExtensions("get_tool_message_handler");

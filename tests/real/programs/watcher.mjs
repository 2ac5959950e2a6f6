// Runs its tests again when the file `go` comes or `r` is pressed, and takes keys all the time, as vitest does.
import fs from "node:fs";
let runs = 0;
function suite() {
  console.log(" RUNS  all.test.js");
  setTimeout(() => console.log(` PASS ${++runs}\nWaiting for file changes...\npress h to show help, press q to quit`), 1500);
}
process.stdin.setRawMode(true);
process.stdin.on("data", (key) => {
  if (key == "q") process.exit();
  if (key == "r") suite();
  if (key == "h") console.log("press r to run again");
});
setInterval(() => {
  if (!fs.existsSync("go")) return;
  fs.unlinkSync("go");
  suite();
}, 50);
suite();

import readline from 'readline/promises';
const r = readline.createInterface({input: process.stdin, output: process.stdout});
const a = await r.question('Ok to proceed? (y) ');
await new Promise(f => setTimeout(f, 2500));
const b = await r.question('Package name: (demo) ');
console.log('result', a, b);
r.close();

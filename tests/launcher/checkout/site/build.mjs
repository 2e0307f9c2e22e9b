// Stands for what makes the documentation's pages: tells where it was started and with what.
console.log(`docs in ${process.cwd()} ${process.argv.slice(2).map((word) => `[${word}]`).join(' ')}`);

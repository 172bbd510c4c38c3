// Says so at once when Node is too old, instead of failing somewhere with a syntax error.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const isNewEnough = major > 20 || (major === 20 && minor >= 19);
if (!isNewEnough) {
  console.error(
    `Millrace needs Node 20.19 or newer; this is ${process.versions.node}. See https://nodejs.org/.`,
  );
  process.exit(1);
}

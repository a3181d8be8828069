// Runs before `npm start` and `npm test`, and installs missing packages, the pinned Node and a browser.
// Uses only syntax that outdated versions of Node can parse, so that they print the message below.
var version = process.versions.node
if (Number(version.split('.')[0]) < 20) {
  console.error(
    'Plumbline needs Node 20 or newer, but this is Node ' +
      version +
      ': install a newer one (https://nodejs.org) and run the same command again.',
  )
  process.exit(3)
} else {
  import('./setup/main.mjs').then((main) => main.setUp())
}

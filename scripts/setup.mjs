// Runs before `npm start` and `npm test`: packages, the pinned Node and a browser, whatever of them is missing.
// Kept to syntax that outdated versions of Node can parse, so that they reach the sentence below.
var version = process.versions.node
if (Number(version.split('.')[0]) < 20) {
  console.error(
    'Node 20 or newer is needed, and this is Node ' +
      version +
      ': install a newer one (https://nodejs.org) and run the same command again.',
  )
  process.exit(3)
} else {
  import('./setup/main.mjs').then((main) => main.setUp())
}

// Unpacks the files of Allure's page, which reads them from window.allureReportData as base64.
/** @type {Window & { allureReportData?: object, allureReportDataReady?: boolean }} */
const report = window
const { allureReportData = {} } = report

const unpack = async () => {
  if (!('DecompressionStream' in window)) {
    const app = document.querySelector('#app')
    if (app)
      app.textContent = 'This page needs a newer browser, such as Chrome 103, Firefox 113 or Safari 16.4.'
    return
  }
  /** @type {{ files: Record<string, [from: number, length: number]>, packed: string }} */
  const { files, packed } = JSON.parse(document.querySelector('#packed-data')?.textContent ?? '')
  const bytes = Uint8Array.from(atob(packed), (character) => character.charCodeAt(0))
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'))
  const all = new Uint8Array(await new Response(stream).arrayBuffer())
  const chunk = 0x8000

  /** @param {Uint8Array} part */
  const base64 = (part) => {
    let text = ''
    for (let at = 0; at < part.length; at += chunk)
      text += String.fromCharCode(...part.subarray(at, at + chunk))
    return btoa(text)
  }

  for (const [name, [from, length]] of Object.entries(files))
    Object.defineProperty(allureReportData, name, {
      get: () => base64(all.subarray(from, from + length)),
    })
  report.allureReportDataReady = true
}

void unpack()

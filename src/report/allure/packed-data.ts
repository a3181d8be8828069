import { readFileSync } from 'node:fs'
import { deflateRawSync } from 'node:zlib'

const script = readFileSync(new URL('./unpack.js', import.meta.url), 'utf8')

/** The script that holds the files of the report, each as a call of `d` with a name and base64. */
const dataScript = /<script defer>\s*Promise\.allSettled\(\[(?<calls>[^<]*)\]\)[^<]*<\/script>/
const call = /d\("(?<name>[^"\\]+)","(?<content>[A-Za-z0-9+/=]*)"\)/g

/**
 * Allure's page with its data compressed, and with equal files stored once: every check repeats the exchanges that it
 * shares with others, and results repeat names and headers. The page becomes four times smaller.
 * @throws {Error} if the page has its data in another form
 */
export function withPackedData(page: string): string {
  const calls = dataScript.exec(page)?.groups?.calls ?? ''
  const files: Record<string, readonly [from: number, length: number]> = {}
  const places = new Map<string, readonly [from: number, length: number]>()
  const parts: Buffer[] = []
  let size = 0
  for (const { groups: { name = '', content = '' } = {} } of calls.matchAll(call)) {
    let place = places.get(content)
    if (place === undefined) {
      const bytes = Buffer.from(content, 'base64')
      place = [size, bytes.length]
      places.set(content, place)
      parts.push(bytes)
      size += bytes.length
    }
    files[name] = place
  }
  if (parts.length === 0 || calls.replaceAll(call, '').replaceAll(/[,\s]/g, '') !== '')
    throw new Error("Allure's data has an unknown format")
  const packed = deflateRawSync(Buffer.concat(parts)).toString('base64')
  const data = JSON.stringify({ files, packed })
  return page.replace(
    dataScript,
    () => `<script type="application/json" id="packed-data">${data}</script>\n    <script>${script}</script>`,
  )
}

import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { gunzipSync, inflateRawSync } from 'node:zlib'

/** Minimum length of a secret: shorter texts also occur without a leak. */
const leastLength = 8

/** The encodings of a secret, with their names. */
function formsOf(secret: string): [form: string, bytes: Buffer][] {
  const bytes = Buffer.from(secret)
  // A secret has three alignments in base64. Its first and last base64 characters depend on the adjacent text.
  const base64 = [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replace(/=+$/, '')
    return text.slice(before === 0 ? 0 : before + 1, -1)
  })
  const texts: [string, string][] = [
    ['clear', secret],
    ['URL-encoded', encodeURIComponent(secret)],
    ['form-encoded', new URLSearchParams([['', secret]]).toString().slice(1)],
    ['in JSON', JSON.stringify(secret).slice(1, -1)],
    ['hex', bytes.toString('hex')],
    ...base64.flatMap((text): [string, string][] => [
      ['base64', text],
      ['base64url', text.replaceAll('+', '-').replaceAll('/', '_')],
    ]),
  ]
  return texts.map(([form, text]) => [form, Buffer.from(text)])
}

/** The leaked secrets: name, encoding and file of each. */
export function leaksIn(
  places: ReadonlyMap<string, Buffer>,
  secrets: ReadonlyMap<string, string>,
): readonly string[] {
  const encodedSecrets = [...secrets]
    .filter(([secret]) => secret.length >= leastLength)
    .flatMap(([secret, name]) => formsOf(secret).map(([form, bytes]) => ({ name, form, bytes })))
  const found = new Set<string>()
  // Searches all files together first, because most secrets are in no file.
  const all = Buffer.concat([...places.values()].flatMap((content) => [content, Buffer.from('\0')]))
  for (const { name, form, bytes } of encodedSecrets.filter(({ bytes }) => all.includes(bytes)))
    for (const [place, content] of places)
      if (content.includes(bytes)) found.add(`${name} (${form}) in ${place}`)
  return [...found]
}

/** All files in a folder, and the files in their archives. */
export function contentsOf(folder: string): Map<string, Buffer> {
  const contents = new Map<string, Buffer>()
  for (const file of filesIn(folder)) addContent(contents, relative(folder, file), readFileSync(file))
  return contents
}

function addContent(contents: Map<string, Buffer>, name: string, content: Buffer): void {
  contents.set(name, content)
  if (content.subarray(0, 2).equals(Buffer.from([0x1f, 0x8b])))
    addContent(contents, `${name}!`, gunzipSync(content))
  if (content.subarray(0, 4).equals(zipEntry))
    for (const [entry, data] of zipEntries(content)) addContent(contents, `${name}!${entry}`, data)
  // Reports contain their data in base64.
  const embedded = [...content.toString('latin1').matchAll(/[A-Za-z0-9+/]{200,}={0,2}/g)]
  for (const [index, [text]] of embedded.entries())
    addContent(contents, `${name}!base64 ${index}`, Buffer.from(text, 'base64'))
}

const zipEntry = Buffer.from('PK\x03\x04', 'latin1')

/** The entries of a ZIP archive, by its central directory (APPNOTE.TXT, 4.3.12). */
function* zipEntries(zip: Buffer): Generator<[name: string, data: Buffer]> {
  const header = Buffer.from('PK\x01\x02', 'latin1')
  for (let at = zip.indexOf(header); at >= 0; at = zip.indexOf(header, at + 46)) {
    const [method, size, nameLength] = [
      zip.readUInt16LE(at + 10),
      zip.readUInt32LE(at + 20),
      zip.readUInt16LE(at + 28),
    ]
    const local = zip.readUInt32LE(at + 42)
    const begin = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28)
    const data = zip.subarray(begin, begin + size)
    yield [zip.toString('utf8', at + 46, at + 46 + nameLength), method === 0 ? data : inflateRawSync(data)]
  }
}

/** Files and folders that another user of this machine may read, write or enter. */
export function openTo(folder: string): readonly string[] {
  return [...filesIn(folder, true)].filter((path) => (lstatSync(path).mode & 0o077) !== 0)
}

function* filesIn(folder: string, folders = false): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) {
      if (folders) yield path
      yield* filesIn(path, folders)
    } else if (entry.isFile()) yield path
  }
}

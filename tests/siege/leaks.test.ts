import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32, deflateRawSync, gzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { contentsOf, leaksIn, openTo } from '../../siege/leaks.ts'

// The search for secrets finds them: without that, a search that finds nothing proves nothing.

const secret = 'canary/secret+of "Ada"=1'
const secrets = new Map([[secret, 'SECRET']])
const base64 = (before: string) => Buffer.from(`${before}${secret}, and more`).toString('base64')

/** A ZIP archive of one compressed file (APPNOTE.TXT, 4.3). */
function zipOf(name: string, content: string): Buffer {
  const data = deflateRawSync(content)
  const fields = Buffer.alloc(26)
  fields.writeUInt16LE(8, 4)
  fields.writeUInt32LE(crc32(content), 10)
  fields.writeUInt32LE(data.length, 14)
  fields.writeUInt32LE(content.length, 18)
  fields.writeUInt16LE(name.length, 22)
  const local = Buffer.concat([Buffer.from('PK\x03\x04'), fields, Buffer.from(name), data])
  const place = Buffer.alloc(14)
  const central = [
    Buffer.from('PK\x01\x02'),
    Buffer.alloc(2),
    fields,
    place,
    Buffer.alloc(2),
    Buffer.from(name),
  ]
  return Buffer.concat([local, ...central])
}

function folderWith(files: Readonly<Record<string, string | Uint8Array>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'plumbline-leaks-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const [name, content] of Object.entries(files))
    writeFileSync(join(folder, name), content, { mode: 0o600 })
  return folder
}

test.each([
  ['clear', `before ${secret} after`],
  ['URL-encoded', `?a=${encodeURIComponent(secret)}&b`],
  ['form-encoded', new URLSearchParams({ a: secret }).toString()],
  ['in JSON', JSON.stringify({ secret })],
  ['hex', Buffer.from(secret).toString('hex')],
  ['base64', base64('')],
  ['base64', base64('1')],
  ['base64', base64('12')],
  ['base64url', Buffer.from(`id:${secret}>>>`).toString('base64url')],
])('a secret is found: %s of %j', (_, text) => {
  expect(leaksIn(contentsOf(folderWith({ file: text })), secrets)).not.toEqual([])
})

test.each([
  ['gzip', gzipSync(secret)],
  ['a ZIP archive', zipOf('trace/network', secret)],
  [
    'a ZIP archive in base64',
    `data:,${zipOf('a', secret + randomBytes(200).toString('hex')).toString('base64')}`,
  ],
  ['a text in base64', Buffer.from(`{"text":"${'x'.repeat(200)}${secret}"}`).toString('base64')],
])('a secret is found in %s', (_, content) => {
  expect(leaksIn(contentsOf(folderWith({ file: content })), secrets)).not.toEqual([])
})

test('other texts hold none', () => {
  expect(leaksIn(contentsOf(folderWith({ file: 'canary secret of Ada' })), secrets)).toEqual([])
})

test('files and folders that others may read are found', () => {
  const folder = folderWith({ own: '' })
  expect(openTo(folder)).toEqual([])
  mkdirSync(join(folder, 'open'), { mode: 0o755 })
  writeFileSync(join(folder, 'shared'), '', { mode: 0o640 })
  expect(
    openTo(folder)
      .map((path) => path.split('/').at(-1))
      .sort(),
  ).toEqual(['open', 'shared'])
})

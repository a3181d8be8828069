import { inflateRawSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { withPackedData } from '../../src/report/allure/page.ts'

const pageWith = (files: Readonly<Record<string, string>>) => {
  const calls = Object.entries(files).map(
    ([name, text]) => `d("${name}","${Buffer.from(text).toString('base64')}")`,
  )
  return `<html><script defer>
      Promise.allSettled([${calls.join(',')}])
        .then(function(){
          window.allureReportDataReady = true;
        })
    </script></html>`
}

test('packed data have every file with its content, and equal contents once', () => {
  const long = 'a request and its response '.repeat(1000)
  const files = { 'data/a.json': long, 'data/b.json': 'é', 'data/c.json': long, 'data/empty.json': '' }
  const page = withPackedData(pageWith(files))
  const [, json = ''] = /<script type="application\/json" id="packed-data">(.*?)<\/script>/.exec(page) ?? []
  const data = JSON.parse(json) as { files: Record<string, [number, number]>; packed: string }
  const bytes = inflateRawSync(Buffer.from(data.packed, 'base64'))
  const unpacked = Object.entries(data.files).map(([name, [from, length]]) => [
    name,
    bytes.subarray(from, from + length).toString(),
  ])
  expect(Object.fromEntries(unpacked)).toEqual(files)
  expect(bytes).toHaveLength(Buffer.byteLength(`${long}é`))
  expect(page).not.toContain('Promise.allSettled')
})

test.each([
  ['no data', '<html></html>'],
  ['another call', pageWith({ a: 'b' }).replace('d("a"', 'load("a"')],
])('a page with %s is rejected, so that no evidence is lost', (_, page) => {
  expect(() => withPackedData(page)).toThrow(/unknown format/)
})

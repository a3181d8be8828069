import { existsSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { expect, test } from 'vitest'
import { loadSuites } from '../../src/check/suites.ts'
import { projectRoot } from '../../src/project.ts'
import { anchors, documents, links } from './markdown.ts'

test.each(documents)('links of %s lead somewhere', (document) => {
  const broken = links(document)
    .filter(({ href }) => !/^(?:https?|mailto):/.test(href))
    .filter(({ href }) => {
      const [path = '', anchor] = decodeURIComponent(href).split('#')
      const file = path === '' ? document : posix.join(posix.dirname(document), path)
      if (!existsSync(join(projectRoot, file))) return true
      return anchor !== undefined && !anchors(file).has(anchor)
    })
    .map(({ line, href }) => `${document}:${line} ${href}`)
  expect(broken).toEqual([])
})

test('each page of docs is reached from the README', () => {
  const reached = new Set(['README.md'])
  // Iterating over a growing set includes the added elements.
  for (const document of reached) {
    for (const { href } of links(document)) {
      const file = posix.join(posix.dirname(document), href.replace(/#.*/, ''))
      if (documents.includes(file)) reached.add(file)
    }
  }
  expect(documents.filter((document) => !reached.has(document))).toEqual([])
})

test.each(documents)('sources that %s names are there', (document) => {
  const text = readFileSync(join(projectRoot, document), 'utf8')
  const named = text.matchAll(
    /`((?:src|suites|load|provider|proof|bench|tests|scripts|schemas)\/[\w./-]+\.\w+)`/g,
  )
  const missing = [...named]
    .map(([, path = '']) => path)
    .filter((path) => !existsSync(join(projectRoot, path)))
  expect(missing).toEqual([])
})

test('tests that a reason for a missing check names are there', async () => {
  const { requirements } = await loadSuites()
  const named = requirements.flatMap(({ reason = '' }) => reason.match(/tests\/[\w/-]+\.test\.ts/g) ?? [])
  expect(named.length).toBeGreaterThan(5)
  expect(named.filter((path) => !existsSync(join(projectRoot, path)))).toEqual([])
})

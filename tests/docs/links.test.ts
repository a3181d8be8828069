import { existsSync } from 'node:fs'
import { join, posix } from 'node:path'
import { expect, test } from 'vitest'
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
  // A set that grows while it is gone through hands out what was added as well.
  for (const document of reached) {
    for (const { href } of links(document)) {
      const file = posix.join(posix.dirname(document), href.replace(/#.*/, ''))
      if (documents.includes(file)) reached.add(file)
    }
  }
  expect(documents.filter((document) => !reached.has(document))).toEqual([])
})

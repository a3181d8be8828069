import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { instance } from '@viz-js/viz'
import { projectRoot } from '../src/project.ts'
import { rows } from './import-rules.ts'

// Draws the folders of the project and the imports between them.
//   node scripts/import-graph.ts     writes docs/pictures/import-graph.svg

/** The layers of the picture from the top down. The layers of src are the rows of the import rules. */
const layers: readonly (readonly string[])[] = [
  ['lawful', 'siege'],
  ['proof', 'bench'],
  ['src/cli', 'provider'],
  ['suites', 'load'],
  ...[...rows]
    .reverse()
    .slice(1)
    .map((row) => row.map((folder) => `src/${folder}`)),
]

type Edges = ReadonlyMap<string, ReadonlySet<string>>

/** The imports between folders, including type imports. */
function folderImports(): Edges {
  const edges = new Map<string, Set<string>>()
  for (const file of sourceFiles()) {
    const from = folderOf(file)
    const source = readFileSync(join(projectRoot, file), 'utf8')
    for (const [, specifier = ''] of source.matchAll(/(?:from|import\()\s*'(\.{1,2}\/[^']+)'/g)) {
      const to = folderOf(relative(projectRoot, resolve(projectRoot, dirname(file), specifier)))
      if (from === undefined || to === undefined || from === to) continue
      edges.set(from, (edges.get(from) ?? new Set()).add(to))
    }
  }
  return edges
}

function sourceFiles(): string[] {
  return globSync('{src,suites,load,provider,proof,bench,lawful,siege}/**/*.ts', {
    cwd: projectRoot,
    exclude: ['lawful/node_modules'],
  })
}

/** The folder of a file in the picture; undefined for files directly in src and in other folders. */
function folderOf(file: string): string | undefined {
  const [top = '', folder = '', ...rest] = file.split(sep)
  if (top !== 'src') return layers.flat().includes(top) ? top : undefined
  return rest.length === 0 ? undefined : `src/${folder}`
}

/** If a imports from b, and b from c, the arrow from a to c is omitted. */
function withoutImpliedEdges(edges: Edges): [string, string][] {
  const reaches = (from: string, to: string): boolean =>
    [...(edges.get(from) ?? [])].some((next) => next === to || reaches(next, to))
  return [...edges].flatMap(([from, targets]) =>
    [...targets]
      .filter((to) => ![...targets].some((other) => other !== to && reaches(other, to)))
      .map((to): [string, string] => [from, to]),
  )
}

const layout = `
  node [shape=box, style="rounded,filled", fixedsize=true, width=1.5, height=0.4, fontname="Helvetica", fontsize=12,
        color="#3b6ea5", fillcolor="#eef4fb", fontcolor="#12263f"]
  edge [color="#7a8896", arrowsize=0.6]
  nodesep=0.3 ranksep=0.35 bgcolor="white" pad=0.2`

/** The picture: one layer of folders below the other, and an arrow for each import. */
export async function importGraphSvg(): Promise<string> {
  const ranks = layers.map((layer) => `  { rank=same ${layer.map(quoted).join(' ')} }`)
  const order = layers.map(([first = '']) => quoted(first)).join(' -> ')
  const arrows = withoutImpliedEdges(folderImports()).map(
    ([from, to]) => `  ${quoted(from)} -> ${quoted(to)}`,
  )
  const graph = ['digraph {', layout, ...ranks, `  ${order} [style=invis]`, ...arrows, '}'].join('\n')
  const viz = await instance()
  const svg = viz.renderString(graph, { format: 'svg', engine: 'dot' })
  return svg
    .slice(svg.indexOf('<svg'))
    .replace('<svg', '<svg role="img" aria-label="Folders of the project and their imports"')
    .replaceAll(/ *<title>[^<]*<\/title>\n/g, '')
}

function quoted(folder: string): string {
  return `"${folder}"`
}

if (import.meta.main)
  writeFileSync(join(projectRoot, 'docs', 'pictures', 'import-graph.svg'), await importGraphSvg())

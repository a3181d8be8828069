import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { projectRoot } from '../src/project.ts'
import { rows } from './import-rules.ts'

// Draws the folders of the project and the imports between them.
//   node scripts/import-graph.ts     writes docs/pictures/import-graph.svg

/** The layers of the picture from the top down; those of src are the rows of the import rules. */
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

/** The imports without those that others imply: if a imports from b, and b from c, the arrow from a to c is omitted. */
function withoutImpliedEdges(edges: Edges): [string, string][] {
  const reaches = (from: string, to: string, without?: string): boolean =>
    [...(edges.get(from) ?? [])].some((next) => next !== without && (next === to || reaches(next, to)))
  return [...edges].flatMap(([from, targets]) =>
    [...targets]
      .filter((to) => ![...targets].some((other) => other !== to && reaches(other, to)))
      .map((to): [string, string] => [from, to]),
  )
}

const box = { width: 128, height: 34, gapX: 26, gapY: 36, margin: 24 }

export function importGraphSvg(): string {
  const widest = Math.max(...layers.map((layer) => layer.length))
  const width = 2 * box.margin + widest * box.width + (widest - 1) * box.gapX
  const height = 2 * box.margin + layers.length * box.height + (layers.length - 1) * box.gapY
  const places = new Map(
    layers.flatMap((layer, row) =>
      layer.map((folder, column) => {
        const rowWidth = layer.length * box.width + (layer.length - 1) * box.gapX
        // Rows with one folder are staggered, so that an arrow past a folder does not seem to end there.
        const shift = layer.length === 1 ? (row % 2 === 0 ? -0.6 : 0.6) * box.width : 0
        const x = (width - rowWidth) / 2 + shift + column * (box.width + box.gapX)
        return [folder, { x, y: box.margin + row * (box.height + box.gapY) }] as const
      }),
    ),
  )
  const arrows = withoutImpliedEdges(folderImports()).flatMap(([from, to]) => {
    const [a, b] = [places.get(from), places.get(to)]
    if (!a || !b) return []
    const [x1, y1] = [a.x + box.width / 2, a.y + box.height]
    const [x2, y2] = [b.x + box.width / 2, b.y]
    const bend = Math.max(18, Math.abs(y2 - y1) / 2)
    return [
      `  <path d="M${x1},${y1} C${x1},${y1 + bend} ${x2},${y2 - bend} ${x2},${y2 - 4}" marker-end="url(#arrow)"/>`,
    ]
  })
  const boxes = [...places].map(
    ([folder, { x, y }]) =>
      `  <rect x="${x}" y="${y}" width="${box.width}" height="${box.height}" rx="6"/>\n  <text x="${x + box.width / 2}" y="${y + box.height / 2 + 5}">${folder}</text>`,
  )
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="Folders of the project and their imports">`,
    '  <style>rect{fill:#eef4fb;stroke:#3b6ea5}text{font:14px system-ui,sans-serif;text-anchor:middle;fill:#12263f}path{fill:none;stroke:#7a8896;stroke-width:1.2}</style>',
    '  <defs><marker id="arrow" markerWidth="8" markerHeight="8" refX="6" refY="4" orient="auto"><path d="M1,1 L7,4 L1,7" /></marker></defs>',
    `  <rect width="${width}" height="${height}" style="fill:#ffffff;stroke:none"/>`,
    ...arrows,
    ...boxes,
    '</svg>',
    '',
  ].join('\n')
}

if (import.meta.main)
  writeFileSync(join(projectRoot, 'docs', 'pictures', 'import-graph.svg'), importGraphSvg())

import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type RunningProvider, startProvider } from '../../provider/index.ts'
import { variableNames } from '../../src/target/variables.ts'
import { runOf } from '../results/fixture/runs.ts'
import { plumbline, startPlumbline } from './command.ts'

// Some hundred processes, a few at a time: the duration depends on the machine.
vi.setConfig({ testTimeout: 120_000, maxConcurrency: 4 })

const folder = mkdtempSync(join(tmpdir(), 'plumbline-bad-input-'))
afterAll(() => rmSync(folder, { recursive: true }))

let provider: RunningProvider
/** Names and contents of all files before the commands run. */
let before: Readonly<Record<string, string>>
beforeAll(async () => {
  provider = await startProvider()
  const whole = JSON.stringify(runOf([{ id: 'EVENT-WINDOW-LIMIT', verdict: 'pass' }]), null, 2)
  const run = (name: string, text: string) => {
    mkdirSync(join(folder, name), { recursive: true })
    writeFileSync(join(folder, name, 'results.json'), text)
  }
  run('good', whole)
  run('half', whole.slice(0, whole.length / 2))
  run('empty', '')
  run('newer', whole.replace('"formatVersion": 2', '"formatVersion": 7'))
  run('unfinished', whole.replace('"completed": true', '"completed": false'))
  cpSync(join(folder, 'good'), join(folder, 'reports/runs/20260101T000000Z-uat-0001'), { recursive: true })
  writeFileSync(join(folder, 'file'), 'a file\n')
  writeFileSync(
    join(folder, 'policy.json'),
    '{\n  "target": "uat",\n  "maximumAgeHours": 24,\n  "inconclusive": "block", "levels": ["must", "msut"]\n}\n',
  )
  writeFileSync(join(folder, 'comma.json'), '{\n  "target": "uat",\n}\n')
  writeFileSync(
    join(folder, 'waivers.json'),
    '{\n  "waivers": [\n    { "requirement": "EVENT-ID" }\n  ]\n}\n',
  )
  writeFileSync(join(folder, 'recipe.json'), '{\n  "steps": "none"\n}\n')
  before = contents()
  return () => provider.close()
})

function contents(): Readonly<Record<string, string>> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  )
  return Object.fromEntries(
    files.map(({ parentPath, name }) => [
      join(parentPath, name),
      readFileSync(join(parentPath, name), 'utf8'),
    ]),
  )
}

type Row = [words: string, sentence: RegExp, env?: Readonly<Record<string, string | undefined>>]

const all = [
  'check',
  'doctor',
  'plan',
  'probe',
  'list',
  'explain EVENT-ID',
  'events',
  'login',
  'tokens',
  'record-login',
  'compare',
]
const commands = [...all, 'gate', 'report', 'provider', 'completion bash']
const ofTargets = ['check', 'doctor', 'plan', 'probe', 'events', 'login', 'tokens', 'record-login']
const ofRuns = [
  ['gate', 'RUN'],
  ['report', 'RUN'],
  ['compare', 'RUN_A'],
  ['probe --what-if', '--what-if'],
] as const
const settings = ['IDP_BASE_URL', 'CLIENT_ID', 'CLIENT_SECRET', 'REDIRECT_URI', 'PRODUCTION_HOSTS']
const day = '2026-03-02T00:00:00'
const unset = Object.fromEntries(settings.map((name) => [name, undefined]))
const allUnset = Object.fromEntries(variableNames.map((name) => [name, undefined]))
const eachSetting = new RegExp(
  `^${settings.map((name) => `${name} is not set.*\\(for example .*`).join('\\n')}\nPut missing variables into `,
)
const bare =
  '.env.uat does not exist, and IDP_BASE_URL, CLIENT_ID, CLIENT_SECRET, REDIRECT_URI and PRODUCTION_HOSTS are not set; cp .env.example .env.uat, then set them in this file; or set them in the environment\n'
const oneProblem = new RegExp(`^${bare.replaceAll('.', '\\.')}$`)

const rows: readonly Row[] = [
  ['', /^Usage: npx plumbline /],
  ['chek', /^unknown command 'chek'; did you mean check\? \(see npx plumbline --help\)$/m],
  ['--nonsense', /^unknown option '--nonsense' \(see npx plumbline --help\)$/m],
  ...commands.map(
    (words): Row => [
      `${words} --nonsense`,
      /^unknown option '--nonsense' \(see npx plumbline [\w-]+ --help\)$/m,
    ],
  ),
  ['gate one two', /^too many arguments for 'gate'/],
  ['completion pwsh', /^The shell "pwsh" is not one of bash, zsh, fish/],
  ...ofTargets.map(
    (words): Row => [
      `${words} --target staging`,
      /^--target "staging" is not one of embedded, uat, production$/m,
    ],
  ),
  ['report', /^TARGET "staging" is not one of/, { TARGET: 'staging' }],
  ...ofTargets
    // The doctor reports them as findings; recording a login first needs a screen; events need only the partner API.
    .filter((words) => !['doctor', 'record-login', 'events'].includes(words))
    .map((words): Row => [`${words} --target uat`, oneProblem, allUnset]),
  ['plan --target uat', eachSetting, unset],
  [
    'check',
    /^REQUEST_BUDGET is not a whole number \(for example REQUEST_BUDGET=500\)$/m,
    { REQUEST_BUDGET: 'many' },
  ],

  ...ofRuns.flatMap(([words, name]): Row[] => [
    [`${words} unknown`, new RegExp(`^${name} unknown is neither a directory with results.json nor`)],
    [`${words} file`, new RegExp(`^${name} file is neither`)],
  ]),
  ...ofRuns.slice(0, 3).flatMap(([words, name]): Row[] => [
    [`${words} half`, new RegExp(`^${name} half/results.json:\\d+ is not JSON: `)],
    [`${words} empty`, new RegExp(`^${name} empty/results.json:1 is not JSON: a value is missing`)],
    [
      `${words} newer`,
      new RegExp(
        `^${name} newer/results.json has format 7, but this version of Plumbline reads formats up to 2`,
      ),
    ],
  ]),
  ['gate good/results.json', /^RUN good\/results.json is a file of a run: give its directory, good$/m],
  ['compare unfinished good', /^RUN_A \S+ is incomplete/],
  ['compare good unknown', /^RUN_B unknown is neither/],
  ['probe --what-if good', /^--what-if .* run `npx plumbline probe --probe limiter` first/],

  ['gate good --policy nowhere.json', /^--policy nowhere.json does not exist/],
  ['gate good --policy policy.json', /^--policy policy.json:4 levels\[1\] must be one of .*, not "msut"/],
  ['gate good --policy comma.json', /^--policy comma.json:3 is not JSON: /],
  ['gate good --waivers waivers.json', /^--waivers waivers.json:3 waivers\[0\] lacks the member \w+/],
  ['gate good --record file', /^--record file already exists/],
  ['gate good --record file/x', /^--record file\/x cannot be written \(ENOTDIR\)/],
  ['gate good --json --markdown', /^--json and --markdown exclude each other/],

  ['check --only NOPE', /^--only "NOPE" matches no requirement; `npx plumbline list` lists them all$/m],
  ['check --only EVENT-WINDOW-LIMITS', /matches no requirement; the nearest is EVENT-WINDOW-LIMIT$/m],
  ['check --only EVENT-WINDW', /matches no requirement; 'EVENT-WINDOW\*' matches \d+: EVENT-WINDOW-LIMIT, /m],
  ['list EVENT-WINDW-*', /matches no requirement; 'EVENT-WINDOW\*' matches \d+: EVENT-WINDOW-LIMIT, /m],
  ['plan --area evnt', /^--area "evnt" is not an area; the nearest is events; the areas are discovery, /],
  ['list WINDOW', /^list "WINDOW" matches no requirement; '\*WINDOW\*' matches \d+: EVENT-WINDOW-LIMIT, /m],
  ['explain NOPE', /^explain "NOPE" matches no requirement; `npx plumbline list` lists them all$/m],
  ['plan --area nowhere', /^--area "nowhere" is not an area; the areas are discovery, /],
  ['list --level msut', /^--level "msut" is not one of must, client, planned, reference, silent$/m],
  ['check --slow-mo 100', /^--slow-mo needs --headed/],
  ['check --rerun-failed', /^--rerun-failed needs an earlier run, but there is no check of embedded/],
  ['check --fail-on verdicts', /^option '--fail-on <what>' argument 'verdicts' is invalid/],
  ['check', /^LOGIN_RECIPE .*recipe\.json/, { LOGIN_RECIPE: 'recipe.json' }],
  ['plan', /^LOGIN_RECIPE points to nowhere\.json, which cannot be read/, { LOGIN_RECIPE: 'nowhere.json' }],
  [
    'check',
    /^EVENT_WINDOW_TO is not set, but .*; set both or neither \(for.*\)$/m,
    { EVENT_WINDOW_FROM: day },
  ],
  ['login', /^CHROMIUM_PATH /, { CHROMIUM_PATH: '/nowhere/chromium' }],
  ['check --out file', /^REPORT_DIR \(or --out\) is .*file, which is not writable \(E\w+\)/],
  ['probe --probe limiter --endpoint discovery --out file', /^REPORT_DIR .*\(E\w+\)/],
  ['report', /^REPORT_DIR is file, which contains no run yet/, { REPORT_DIR: 'file' }],
  ['events --page=-1', /^--page "-1" is not a whole number of at least 0 \(for example --page=1\)$/m],
  ['events --from today', /^--from "today" is not a local date-time/],
  ['events --follow --out file --checkpoint file', /^--out is the same file as --checkpoint/],

  [
    'provider --fault state-optinal',
    /^There is no fault 'state-optinal'; the nearest is 'state-optional'\.$/m,
  ],
  [
    'provider --fault nonce-missing',
    /^There is no fault 'nonce-missing'; the nearest are 'id-token-nonce-missing'/m,
  ],
  [
    'provider --fault accept-old-refresh-token',
    /^There is no fault 'accept-old-refresh-token'; the nearest are 'old-refresh-token-accepted'.*; `npx plumbline explain ID` lists the faults of a requirement\.$/m,
  ],
  [
    'provider --fault NOPE',
    /^There is no fault 'NOPE'; `npx plumbline provider --list` prints all of them as JSON, and `npx plumbline explain ID` those of a requirement\.$/m,
  ],
  ['provider --limit fast', /^--limit must be REQUESTS\/SECONDS such as 20\/1, not 'fast'\.$/m],
  ['provider --port 99999', /^--port must be a whole number from 0 to 65535/],
  ['provider --events-every 0', /^--events-every must be a whole number from 1 to/],
  ['provider --env nowhere/x', /^--env: nowhere\/x cannot be written \(there is no folder nowhere\)/],
]

const ownProcess = new Set<string | undefined>()

/** Each command once as a separate process; `provider` always, since it starts a process that prints. */
async function run(words: readonly string[], place: Parameters<typeof plumbline>[1]) {
  const [command] = words
  if (ownProcess.has(command) && command !== 'provider') return await plumbline(words, place)
  ownProcess.add(command)
  return await startPlumbline(words, place).ended
}

describe('a mistake is reported in one sentence, with exit code 3', () => {
  test.concurrent.each(rows)('plumbline %s: %s', async (words, sentence, changes = {}) => {
    const place = { cwd: folder, env: { ...provider.variables, ...changes } }
    const { code, stdout, stderr } = await run(words.split(' ').filter(Boolean), place)
    expect(stderr).toMatch(sentence)
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' })
    // No colours without a terminal, and no source positions.
    expect(stripVTControlCharacters(stderr)).toBe(stderr)
    expect(stderr).not.toMatch(/^\s+at /m)
    if (words !== '') expect(stderr.trimEnd().split('\n').length).toBeLessThan(8)
  })

  test('the doctor reports the same as findings', async () => {
    const { code, stdout } = await plumbline(['doctor', '--target', 'uat'], { cwd: folder })
    const text = stdout.replace(/\s+/g, ' ')
    expect(text).toContain(` error configuration ${bare.replace(/; cp .*\n$/s, '')} cp .env.example .env.uat`)
    for (const name of settings) expect(text.match(new RegExp(`\\b${name}\\b`, 'g'))).toHaveLength(1)
    expect(text).toContain(' 1 thing to change: .env.uat. ')
    expect(text).toContain(' needed by some checks, not set: PARTNER_API_URL, ')
    expect(code).toBe(3)
  })

  test('nothing was sent, nothing was changed', () => {
    expect(provider.requests).toEqual([])
    expect(contents()).toEqual(before)
  })
})

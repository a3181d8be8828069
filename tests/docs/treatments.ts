import type { Treatment } from './shell.ts'

const little = ['--area', 'discovery', '--no-report']
const narrowed: Treatment = { add: little }
const partial: Treatment = { exits: [2] }

/**
 * Commands of the documentation that do not run unchanged, by their words. A key that no document contains is an error.
 */
export const treatments: Readonly<Record<string, Treatment>> = {
  // A run of all areas takes long.
  'npm start': narrowed,
  'npx plumbline check --target uat': narrowed,

  // After a run of one area, the decision is no, because the coverage is too small.
  'npx plumbline gate': partial,
  'npx plumbline gate --markdown': partial,
  'npx plumbline gate --record releases/2026-11-21': partial,
  'npx plumbline gate previous --policy reports/release-policy.json --waivers reports/waivers.json': partial,
  'plumbline gate': partial,

  'npx plumbline provider --fault id-token-issuer-trailing-slash window-of-25-hours-accepted --env .env.uat':
    {
      notRun: 'serves until it is stopped; the provider of this test was started like that',
    },
  'npx plumbline provider --fault userinfo-cached-without-token --env .env.uat': {
    notRun: 'serves until it is stopped; the provider of this test was started like that',
  },
  'npx plumbline check --only USERINFO-TOKEN-REQUIRED --watch': { notRun: 'runs until it is stopped' },
  'npx plumbline check --target uat --area discovery,key-set,id-token': { notRun: 'takes long' },
  'npx plumbline provider --variant webhooks --env .env.uat': {
    notRun: 'serves until it is stopped; the provider of this test was started like that',
  },
  'npx plumbline record-login --target uat': { notRun: 'needs a screen' },
  'npx plumbline record-login --target uat --out recipes/uat.json': { notRun: 'needs a screen' },
  'npx plumbline record-login --target uat --out recipes/uat.json --cancel': { notRun: 'needs a screen' },
  'npx plumbline record-login --target uat --out recipes/uat.json --remote': { notRun: 'waits for a person' },
  'npx plumbline events --target uat --follow': { notRun: 'runs until it is stopped' },
  'npx plumbline events --target uat --follow --checkpoint hub.checkpoint --out events.jsonl': {
    notRun: 'runs until it is stopped',
  },
  'npx plumbline provider --events-every 5 --env .env.uat': {
    notRun: 'serves until it is stopped; tests/provider/hub.test.ts tests a provider that invents events',
  },
  'npx plumbline events --target uat --follow --lag 0 --interval 5': {
    notRun: 'runs until it is stopped',
  },
  'plumbline events --follow': { notRun: 'runs until it is stopped' },
  'npx plumbline check --only IDTOKEN-ACR --watch': { notRun: 'runs until it is stopped' },
  'npx plumbline check --target uat --only AUTHZ-CODE-FLOW --headed': { notRun: 'needs a screen' },
  'npx plumbline check --target uat --only EVENT-SUBSCRIBER --headed': { notRun: 'needs a screen' },
  'npx plumbline check --target uat --only IDTOKEN-ACR --headed --slow-mo 500': {
    notRun: 'needs a screen',
  },
  'npx plumbline check --only WEBHOOK-*': { notRun: 'with ENABLE=slow it waits for a minute' },
  'npx plumbline check --area webhook-delivery': {
    notRun: 'takes half a minute; the proof runs it for each fault',
  },
  'npm run stress -- --runs 20 --busy 2': { notRun: 'takes many minutes' },
  'npx plumbline probe --probe dimension --endpoint userinfo': {
    notRun: 'takes half a minute; tests/load/dimension.test.ts runs it',
  },
  'npx plumbline probe --what-if': { notRun: 'needs a run that found a limiter' },

  'npm run lawful': { notRun: 'takes a minute, and installs packages' },
  'npm run lawful -- oidc-provider': { notRun: 'installs packages' },
  'npm run mutation': { notRun: 'takes almost an hour' },
  'npm run mutation -- oauth release': { notRun: 'takes minutes' },

  'npm run siege': { notRun: 'takes almost an hour' },
  'npm run siege -- --only requests': { notRun: 'takes minutes' },
  'npm run siege -- --write': { notRun: 'takes almost an hour' },
  'npm run siege -- --only memory': { notRun: 'takes minutes' },
  'npm run siege -- --only targets --attempts token * --runs 3': { notRun: 'takes many minutes' },

  'npx artillery run probe.yml': { notRun: 'Artillery is not part of Plumbline' },
  'npx artillery run-lambda --region eu-north-1 --count 4 --dotenv probe.env probe.yml': {
    notRun: 'Artillery is not part of Plumbline',
  },
  'npm i artillery --ignore-scripts': { notRun: 'Artillery is not part of Plumbline' },
}

/** Scripts that cannot run unchanged, by their first line, with their replacements. */
export const placeholders: Readonly<Record<string, string>> = {
  'npx plumbline report RUN': 'npx plumbline report latest',
}

/** Preparations that the page describes before a script. */
export const before: Readonly<Record<string, string>> = {
  'curl -d \'{"advanceSeconds": 30}\' "$WEBHOOK_CLOCK_URL"': '. ./.env.uat',
  'sha256sum -c SHA256SUMS': 'cd releases/2026-11-21',
}

/** Scripts that are not run, by their first line. */
export const notTried: Readonly<Record<string, string>> = {
  'npx plumbline': 'is the name of the command',
  'npx plumbline completion fish | source': 'is for fish, not bash',
  'aws logs filter-log-events --log-group-name /aws/lambda/FUNCTION --start-time MILLISECONDS \\':
    'needs an account',
}

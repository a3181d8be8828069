import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import {
  foreignNames,
  readEnvironment,
  readVariables,
  targetNameFrom,
  variableSources,
} from '../../src/target/environment.ts'
import { SetupError } from '../../src/target/problem.ts'

describe('the environment of a target', () => {
  const directory = mkdtempSync(join(tmpdir(), 'plumbline-config-'))
  afterAll(() => rmSync(directory, { recursive: true }))
  writeFileSync(join(directory, '.env'), 'A=env\nB=env\nC=env\nD="  "\nTARGET=uat\n')
  writeFileSync(join(directory, '.env.uat'), 'A=uat\nB=uat\nE=uat # comment\n')

  test('has variables of the process before .env.<target> before .env; an empty value counts as not set', () => {
    expect(readEnvironment('uat', { A: 'process', B: '', F: ' \t', G: ' g ' }, directory)).toEqual({
      A: 'process',
      B: 'uat',
      C: 'env',
      E: 'uat',
      G: 'g',
      TARGET: 'uat',
    })
    expect(readEnvironment('production', {}, directory)).toMatchObject({ A: 'env', B: 'env' })
  })

  test('missing files are ignored, unreadable ones are reported', () => {
    expect(readEnvironment('uat', { A: 'a' }, join(directory, 'nowhere'))).toEqual({ A: 'a' })
    mkdirSync(join(directory, '.env.production'))
    expect(() => readEnvironment('production', {}, directory)).toThrow(/^\.env\.production cannot be read/)
  })

  test('ignores TARGET in the file of a target', () => {
    const folder = join(directory, 'of-a-target')
    mkdirSync(folder)
    writeFileSync(join(folder, '.env.uat'), 'TARGET=embedded\nCLIENT_ID=a\n')
    expect([...variableSources('uat', {}, folder).keys()]).toEqual(['CLIENT_ID'])
    writeFileSync(join(folder, '.env'), 'TARGET=uat\n')
    expect(variableSources('uat', {}, folder).get('TARGET')).toMatchObject({ value: 'uat', source: '.env' })
  })

  test('the target is the option, TARGET of the environment, TARGET of .env, embedded', () => {
    expect(targetNameFrom('production', { TARGET: 'embedded' }, directory)).toBe('production')
    expect(targetNameFrom(undefined, { TARGET: ' embedded ' }, directory)).toBe('embedded')
    expect(targetNameFrom(undefined, {}, directory)).toBe('uat')
    expect(targetNameFrom(undefined, { TARGET: '' }, directory)).toBe('uat')
    expect(targetNameFrom(undefined, { TARGET: ' ' }, join(directory, 'nowhere'))).toBe('embedded')
  })

  test('an unknown target names the option or the variable', () => {
    expect(() => targetNameFrom('prod', {}, directory)).toThrow(
      '--target "prod" is not one of embedded, uat, production',
    )
    expect(() => targetNameFrom(undefined, { TARGET: 'UAT' }, directory)).toThrow(
      /^TARGET "UAT" is not one of/,
    )
    expect(() => targetNameFrom('', {}, directory)).toThrow(SetupError)
  })

  test('a misspelt variable in a file is rejected, a variable of another tool is not', () => {
    const folder = join(directory, 'misspelt')
    mkdirSync(folder)
    writeFileSync(join(folder, '.env'), 'DATABASE_URL=postgres://db\nCLINT_ID=x\n')
    expect(() => readEnvironment('uat', {}, folder)).toThrow(
      'CLINT_ID in .env is not a variable of Plumbline; rename it to CLIENT_ID',
    )
    expect(readVariables('uat', {}, folder).mistakes).toMatchObject([
      { name: 'CLINT_ID', meant: 'CLIENT_ID' },
    ])
    expect(foreignNames('uat', folder)).toEqual(new Map([['.env', ['DATABASE_URL']]]))
    writeFileSync(join(folder, '.env'), 'DATABASE_URL=postgres://db\n')
    expect(readEnvironment('uat', {}, folder)).toEqual({ DATABASE_URL: 'postgres://db' })
  })
})

/**
 * Imports a package of lawful/package.json. Type checks run without these packages, so the caller declares the part of
 * the API that it uses.
 */
export async function load<Api>(name: string): Promise<Api> {
  return import(name)
}

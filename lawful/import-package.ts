/**
 * Imports one of these packages. Its own types are not imported, since type checks run without the packages: the caller
 * declares the part that it uses.
 */
export async function load<Api>(name: string): Promise<Api> {
  return import(name)
}

type FixtureFactory = (context: never) => unknown

type NamedFactories = readonly (readonly [name: string, factory: FixtureFactory])[]

/**
 * Named fixtures: values that a check receives by name. A fixture is created at its first use, from fixtures that
 * were added before it.
 * @template Base properties that exist before the first fixture
 * @template Context all properties that a check can use
 */
export class FixtureSet<Base extends object, Context extends Base = Base> {
  readonly #factories: NamedFactories

  constructor(factories: NamedFactories = []) {
    this.#factories = factories
  }

  /** Returns a set with one more fixture; the set itself does not change. */
  extend<const Name extends string, Value>(
    name: Name,
    factory: (context: Context) => Value,
  ): FixtureSet<Base, Context & { readonly [Key in Name]: Value }> {
    return new FixtureSet([...this.#factories, [name, factory as FixtureFactory]])
  }

  /** Returns an object with a property for each fixture, for one check. */
  create(base: Base): Context {
    const context: object = { ...base }
    for (const [name, factory] of this.#factories) {
      Object.defineProperty(context, name, {
        configurable: true,
        enumerable: true,
        get: () => {
          const value = factory(context as never)
          // From now on, the property has this value, so that the factory runs once.
          Object.defineProperty(context, name, { value, enumerable: true })
          return value
        },
      })
    }
    return context as Context
  }
}

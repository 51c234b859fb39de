/** A route as Fastify registered it: `/v1/runs/:id`. */
export interface Route {
  readonly method: string;
  readonly path: string;
}

/** Remembers every route, to say which methods a path takes and to compare with the OpenAPI document. */
export class RouteTable {
  private readonly entries: Route[] = [];

  add(method: string | readonly string[], path: string): void {
    for (const one of typeof method === 'string' ? [method] : method)
      this.entries.push({ method: one, path });
  }

  get routes(): readonly Route[] {
    return this.entries;
  }

  /** The methods that some route takes at this path; empty when there is no such route at all. */
  methodsAt(path: string): readonly string[] {
    const segments = path.split('/');
    const methods = this.entries
      .filter((route) => matches(route.path.split('/'), segments))
      .map(({ method }) => method);
    return [...new Set(methods)].sort();
  }
}

const matches = (pattern: readonly string[], path: readonly string[]): boolean =>
  pattern.length === path.length &&
  pattern.every((part, at) => (part.startsWith(':') ? path[at] !== '' : part === path[at]));

// Shows the page that belongs to the address in the browser.

export type Page = (parameters: Record<string, string>) => string;

interface Route {
  pattern: RegExp;
  names: string[];
  page: Page;
}

/** Matches paths such as `/track/:number` with pages. */
export class Router {
  private readonly routes: Route[] = [];

  add(path: string, page: Page): this {
    const names: string[] = [];
    const source = path.replace(/:(\w+)/g, (_, name: string) => {
      names.push(name);
      return "([^/]+)";
    });
    this.routes.push({ pattern: new RegExp(`^${source}$`), names, page });
    return this;
  }

  resolve(path: string): string | undefined {
    for (const route of this.routes) {
      const match = route.pattern.exec(path);
      if (match) {
        const values = route.names.map((name, index) => [name, decodeURIComponent(match[index + 1])]);
        return route.page(Object.fromEntries(values));
      }
    }
    return undefined;
  }
}

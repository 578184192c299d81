// The arrows of ARCHITECTURE.md: who may import whom. `npm run check` fails on any other arrow and on every cycle.
const outsideTests = { pathNot: '\\.test\\.ts$' };
const forbid = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to });

export default {
  forbidden: [
    forbid('no-cycles', 'a cycle means that one thing lives in two files', {}, { circular: true }),
    forbid(
      'core-is-pure',
      'core imports only core and the pure libraries named here',
      { path: '^src/core/', ...outsideTests },
      {
        pathNot: ['^src/core/', '^node_modules/(re2js|js-yaml|yaml|zod)/'],
      },
    ),
    forbid(
      'core-by-its-door',
      'a core folder is entered through its index.ts; std/ has one idea a file and no door',
      { path: '^src/core/([^/]+)/' },
      { path: '^src/core/[^/]+/', pathNot: ['^src/core/$1/', '^src/core/std/', '^src/core/[^/]+/index\\.ts$'] },
    ),
    forbid(
      'core-by-its-door-outside',
      'programs enter a core folder through its index.ts too',
      { path: '^src/', pathNot: '^src/core/' },
      {
        path: '^src/core/',
        pathNot: ['^src/core/std/', '^src/core/[^/]+/index\\.ts$'],
      },
    ),
    forbid(
      'ports-are-types',
      'ports know only core',
      { path: '^src/ports' },
      { path: '^src/', pathNot: '^src/(core|ports)' },
    ),
    forbid(
      'apps-know-core-and-ports',
      'no app imports another, an adapter, the simulator or the CLI',
      { path: '^src/apps/([^/]+)/', ...outsideTests },
      {
        path: '^src/',
        pathNot: ['^src/apps/$1/', '^src/core/', '^src/ports'],
      },
    ),
    forbid(
      'adapters-know-ports-and-core',
      'an adapter serves a port',
      { path: '^src/adapters/', ...outsideTests },
      {
        path: '^src/',
        pathNot: ['^src/adapters/', '^src/core/', '^src/ports'],
      },
    ),
    forbid(
      'sim-knows-apps-and-core',
      'the simulator runs the apps on simulated ports',
      { path: '^src/sim/', ...outsideTests },
      {
        path: '^src/',
        pathNot: ['^src/sim/', '^src/apps/', '^src/core/', '^src/ports'],
      },
    ),
    forbid(
      'nobody-imports-the-cli',
      'the command line is the outermost ring',
      { path: '^src/', pathNot: ['^src/cli/', '\\.test\\.ts$'] },
      {
        path: '^src/cli/',
      },
    ),
    forbid(
      'no-tests-in-programs',
      'a program never imports a test',
      { path: '^src/', ...outsideTests },
      { path: '\\.test\\.ts$|^test/' },
    ),
    forbid('resolvable', 'an import that cannot be resolved', {}, { couldNotResolve: true }),
    forbid(
      'declared',
      'a package that package.json does not declare',
      { path: '^src/', ...outsideTests },
      {
        dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'],
      },
    ),
  ],
  options: {
    parser: 'swc',
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
};

// The version of the package: inlined by the bundler, read here when the sources run unbuilt.
import packageJson from '../../package.json' with { type: 'json' };

export const version: string = packageJson.version;

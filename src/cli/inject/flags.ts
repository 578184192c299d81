// The flags of `fairway inject`.

export interface InjectFlags {
  readonly revision?: string;
  readonly template?: string;
  readonly values?: string;
  readonly meshConfig?: string;
  readonly proxyImage?: string;
  readonly fleet?: string;
  readonly nativeSidecars?: 'true' | 'false';
  readonly compat?: 'istio';
  readonly namespace?: string;
  readonly output?: 'yaml' | 'json';
  readonly compliancePolicy?: string;
  readonly maxBytes: number;
}

// Reads a list of lists of manifests as JSON from standard input, and prints for each list what the schemas of Kubernetes,
// KEDA, the Gateway API and the Prometheus operator refuse. A program, because the packages with the schemas are ES
// modules, which jest does not load.
import { text } from 'node:stream/consumers';

/**
 * @typedef {{ readonly apiVersion: string, readonly kind: string, readonly metadata: { readonly name: string } }} Manifest
 * @typedef {new (manifest: Manifest) => { validate(): void }} Model
 */

/** @type {readonly { readonly group: RegExp, readonly package: string }[]} */
const PACKAGES = [
  { group: /(?:^|\.)keda\.sh$/, package: '@kubernetes-models/keda' },
  { group: /^gateway\.networking\.k8s\.io$/, package: '@kubernetes-models/gateway-api' },
  { group: /^monitoring\.coreos\.com$/, package: '@kubernetes-models/prometheus-operator' },
  { group: /./, package: 'kubernetes-models' },
];

/** @type {readonly (readonly Manifest[])[]} */
const lists = JSON.parse(await text(process.stdin));
const faults = [];
for (const manifests of lists) faults.push((await Promise.all(manifests.map(faultsOf))).flat());
process.stdout.write(JSON.stringify(faults));

/** @param {Manifest} manifest */
async function faultsOf(manifest) {
  const { apiVersion, kind, metadata } = manifest;
  const name = `${kind} ${metadata?.name}`;
  const [group = '', version] = apiVersion.includes('/') ? apiVersion.split('/') : ['core', apiVersion];
  const source = PACKAGES.find((one) => one.group.test(group))?.package ?? '';
  try {
    /** @type {Readonly<Record<string, Model>>} */
    const models = await import(`${source}/${group === 'core' ? version : `${group}/${version}`}`);
    const model = models[kind];
    if (model === undefined) return [`${name}: ${apiVersion} has no such kind`];
    new model(manifest).validate();
    return [];
  } catch (error) {
    return [`${name}: ${error instanceof Error ? error.message : error}`];
  }
}

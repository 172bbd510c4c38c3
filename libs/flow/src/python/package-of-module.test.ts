import { missingPackage } from './package-of-module';

test.each([
  ['bs4', 'beautifulsoup4'],
  ['bs4.element', 'beautifulsoup4'],
  ['PIL.Image', 'pillow'],
  ['cv2', 'opencv-python-headless'],
  ['yaml', 'pyyaml'],
  ['sklearn.metrics.pairwise', 'scikit-learn'],
  ['dotenv', 'python-dotenv'],
  ['google.cloud.storage.client', 'google-cloud-storage'],
  ['google.generativeai', 'google-generativeai'],
])('%s is in the package %s, which has another name', (module, name) => {
  expect(missingPackage(module)).toBe(name);
});

test.each([
  ['duckdb', 'duckdb'],
  ['sentence_transformers.util', 'sentence-transformers'],
  ['Levenshtein', 'levenshtein'],
  ['constructor', 'constructor'],
])('%s is in a package with its name, %s', (module, name) => {
  expect(missingPackage(module)).toBe(name);
});

/** Addresses of the regions where IBM runs watsonx.ai. */
export const watsonxRegions: readonly string[] = [
  'https://us-south.ml.cloud.ibm.com',
  'https://eu-de.ml.cloud.ibm.com',
  'https://eu-gb.ml.cloud.ibm.com',
  'https://au-syd.ml.cloud.ibm.com',
  'https://jp-tok.ml.cloud.ibm.com',
  'https://ca-tor.ml.cloud.ibm.com',
];

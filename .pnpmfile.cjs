// What we publish must not name files that are not in the tarball: the source condition is for this workspace only.
module.exports = {
  hooks: {
    beforePacking(manifest) {
      for (const entry of Object.values(manifest.exports ?? {})) delete entry['@rl/source']
      return manifest
    },
  },
}

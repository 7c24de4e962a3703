/** The hook file that Dredd loads. Dredd passes a copy of the configuration, which keeps functions. */
const hooks = require('hooks');

hooks.configuration.custom.register(hooks);

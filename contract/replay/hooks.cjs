/** The file of hooks that Dredd loads. Dredd gives it a copy of the configuration, in which functions stay what they are. */
const hooks = require('hooks');

hooks.configuration.custom.register(hooks);

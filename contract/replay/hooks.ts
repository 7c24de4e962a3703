/** The file of hooks that Dredd loads. Dredd gives it a copy of the configuration, in which functions stay what they are. */
import hooks from 'hooks';

hooks.configuration.custom.register(hooks);

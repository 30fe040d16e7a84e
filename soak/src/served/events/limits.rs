//! Limits of time and memory, and whether the figures of a trial keep them.

use anyhow::ensure;

use crate::Form;

/// What is said about the figures of a trial.
pub(super) struct Limits {
    form: Form,
    missed: Vec<String>,
}

impl Limits {
    pub(super) fn new(form: Form) -> Limits {
        Limits { form, missed: Vec::new() }
    }

    /// Prints a figure and what it may be at the most.
    pub(super) fn at_most(&mut self, bar: f64, figure: f64, what: &str) {
        println!("  {what}: {figure:.2} (at most {bar})");
        // No figure is a missed one too.
        if figure.is_nan() || figure > bar {
            self.missed.push(format!("{what}: {figure:.2} instead of {bar} at most"));
        }
    }

    /// An error if a bar was missed. A short form runs a build that is not optimized, beside whatever else there is: it
    /// only tells.
    pub(super) fn hold(self) -> anyhow::Result<()> {
        match self.form {
            Form::Short => Ok(()),
            Form::Long => {
                ensure!(self.missed.is_empty(), "{}", self.missed.join("; "));
                Ok(())
            }
        }
    }
}

//! The life of a parcel, as a state machine.

/// The states that a parcel passes through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParcelState {
    Announced,
    PickedUp,
    InTransit,
    OutForDelivery,
    Delivered,
    Returned,
}

/// What happens to a parcel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParcelEvent {
    Pickup,
    Departure,
    LastMile,
    Handover,
    Refusal,
}

/// An event that the present state does not allow.
#[derive(Debug, PartialEq, Eq)]
pub struct InvalidTransition {
    pub state: ParcelState,
    pub event: ParcelEvent,
}

impl ParcelState {
    /// The state after an event.
    pub fn after(self, event: ParcelEvent) -> Result<ParcelState, InvalidTransition> {
        use ParcelState::*;
        match (self, event) {
            (Announced, ParcelEvent::Pickup) => Ok(PickedUp),
            (PickedUp, ParcelEvent::Departure) => Ok(InTransit),
            (InTransit, ParcelEvent::LastMile) => Ok(OutForDelivery),
            (OutForDelivery, ParcelEvent::Handover) => Ok(Delivered),
            (OutForDelivery, ParcelEvent::Refusal) => Ok(Returned),
            (state, event) => Err(InvalidTransition { state, event }),
        }
    }

    pub fn is_final(self) -> bool {
        matches!(self, ParcelState::Delivered | ParcelState::Returned)
    }
}
